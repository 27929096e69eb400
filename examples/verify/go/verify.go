// Verifies callbacks. Copy this file and change the name of its package.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The maximum difference between webhook-timestamp and the clock of this machine.
const tolerance = 300 * time.Second

var unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// FindStandardWebhookProblem checks the headers of Standard Webhooks. It returns what is wrong with the callback, or "" if
// it is genuine and recent. The error says that secret is not the signing secret of a webhook (whsec_…). rawBody is the body as received.
func FindStandardWebhookProblem(secret string, header http.Header, rawBody []byte, now time.Time) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return "", errors.New("the secret is not whsec_ and base64")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	signatures := header.Get("webhook-signature")
	for _, required := range [][2]string{{"webhook-id", id}, {"webhook-timestamp", timestamp}, {"webhook-signature", signatures}} {
		if required[1] == "" {
			return "the " + required[0] + " header is missing", nil
		}
	}
	if !unixSeconds.MatchString(timestamp) {
		return "the webhook-timestamp header is not a Unix timestamp", nil
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance {
		return "the webhook-timestamp header is too old", nil
	} else if age < -tolerance {
		return "the webhook-timestamp header is in the future", nil
	}
	sum := hmacSha256(key, []byte(id+"."+timestamp+"."), rawBody)
	expected := "v1," + base64.StdEncoding.EncodeToString(sum)
	// For 24 hours after a new secret was made, there are two signatures.
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return "", nil
		}
	}
	return "the webhook-signature header is wrong", nil
}

// FindSignatureProblem checks the headers Authorization and Signature. It returns what is wrong with the callback, or "" if
// both are right. The error says that webhookID or bearer is empty. The key of Signature is the webhook's id, which is not
// secret: only bearer authenticates the caller. It is the webhook's secret or, if it has none, the callback token of the
// account.
func FindSignatureProblem(webhookID, bearer string, header http.Header, rawBody []byte) (string, error) {
	if webhookID == "" || bearer == "" {
		return "", errors.New("the webhook id or the bearer is empty")
	}
	expected := hex.EncodeToString(hmacSha256([]byte(webhookID), rawBody))
	authorization, signature := header.Get("Authorization"), header.Get("Signature")
	switch {
	case authorization == "":
		return "the Authorization header is missing", nil
	case !hmac.Equal([]byte(authorization), []byte("Bearer "+bearer)):
		return "the Authorization header is wrong", nil
	case signature == "":
		return "the Signature header is missing", nil
	case !hmac.Equal([]byte(signature), []byte(expected)):
		return "the Signature header is wrong", nil
	}
	return "", nil
}

func hmacSha256(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
