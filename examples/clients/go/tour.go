// Creates webhooks, lists all pages, rotates a signing secret, sends a delivery again and verifies its callback.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"ringback.example/clients/go"
)

func must[T any](value T, _ any, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func waitFor[T any](look func() (T, bool)) T {
	for range 600 {
		if found, ok := look(); ok {
			return found
		}
		time.Sleep(100 * time.Millisecond)
	}
	log.Fatal("waited too long")
	panic("unreachable")
}

func mac(key, text []byte) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write(text)
	return hash.Sum(nil)
}

func main() {
	config := ringback.NewConfiguration()
	config.Servers = ringback.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := ringback.NewAPIClient(config)
	as := func(token string) context.Context {
		return context.WithValue(context.Background(), ringback.ContextAccessToken, os.Getenv(token))
	}
	account := as("TOKEN")

	// Create.
	var created []string
	for number := range 3 {
		input := *ringback.NewWebhookInput(fmt.Sprintf("go %d", number), os.Getenv("CALLBACK_URI"))
		input.SetStatus(1)
		answer := must(api.WebhooksAPI.CreateWebhook(account).WebhookInput(input).Execute())
		created = append(created, answer.Data.Id)
	}
	id := created[0]

	// List all pages.
	var listed []string
	for page, last := int64(1), int64(1); page <= last; page++ {
		answer := must(api.WebhooksAPI.ListWebhooks(account).Page(page).PerPage(2).FilterName("go").Execute())
		for _, webhook := range answer.Data {
			listed = append(listed, webhook.Id)
		}
		last = answer.Meta.LastPage
	}
	slices.Sort(listed)
	slices.Sort(created)
	if !slices.Equal(listed, created) {
		log.Fatal("wrong list: ", listed)
	}

	// Rotate the signing secret.
	secret := must(api.SigningAPI.RotateSigningSecret(account, id).Execute()).Data.Secret

	// Push an event, as the platform does, and wait for its delivery.
	event := *ringback.NewEvent("sms:message:status", map[string]any{"id": "go-1", "status": "DELIVRD"})
	event.SetWebhookId(id)
	must(api.EventsAPI.PushEvents(as("PLATFORM_TOKEN")).Event([]ringback.Event{event}).Execute())
	states := []string{"delivered", "failed"}
	delivery := waitFor(func() (string, bool) {
		found := must(api.DeliveriesAPI.ListDeliveries(account).FilterWebhookId(id).FilterStatus(states).Execute()).Data
		if len(found) == 0 {
			return "", false
		}
		return found[0].Id, true
	})

	// Send it again.
	must(api.DeliveriesAPI.ResendDelivery(account, delivery).Execute())
	request := waitFor(func() (ringback.SentRequest, bool) {
		shown := must(api.DeliveriesAPI.ShowDelivery(account, delivery).Execute()).Data
		if shown.State != "delivered" || len(shown.Attempts) != 2 {
			return ringback.SentRequest{}, false
		}
		return shown.Attempts[1].Request, true
	})

	// Verify: a receiver does this with the headers and the raw body that it gets.
	body, headers := request.GetBody(), request.GetHeaders()
	signature, err := hex.DecodeString(headers["Signature"])
	if err != nil || !hmac.Equal(signature, mac([]byte(id), []byte(body))) {
		log.Fatal("wrong Signature")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		log.Fatal(err)
	}
	signed := headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + body
	expected := "v1," + base64.StdEncoding.EncodeToString(mac(key, []byte(signed)))
	if !slices.Contains(strings.Split(headers["webhook-signature"], " "), expected) {
		log.Fatal("wrong webhook-signature")
	}
	fmt.Printf("created %d, listed %d, rotated, resent, verified\n", len(created), len(listed))
}
