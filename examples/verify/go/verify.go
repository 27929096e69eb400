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

// VerifyStandardWebhook checks the headers of Standard Webhooks. It returns whether the callback is genuine and recent.
// The error says that secret is not the signing secret of a webhook (whsec_…). rawBody is the body as received.
func VerifyStandardWebhook(secret string, header http.Header, rawBody []byte, now time.Time) (bool, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false, errors.New("the secret is not whsec_ and base64")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if id == "" || !unixSeconds.MatchString(timestamp) {
		return false, nil
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false, nil
	}
	sum := hmacSha256(key, []byte(id+"."+timestamp+"."), rawBody)
	expected := "v1," + base64.StdEncoding.EncodeToString(sum)
	// For 24 hours after a new secret was made, there are two signatures.
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true, nil
		}
	}
	return false, nil
}

// VerifySignature checks the headers Authorization and Signature. It returns whether both are right. The error says that
// webhookID or bearer is empty. The key of Signature is the webhook's id, which is not secret: only bearer authenticates
// the caller. It is the webhook's secret or, if it has none, the callback token of the account.
func VerifySignature(webhookID, bearer string, header http.Header, rawBody []byte) (bool, error) {
	if webhookID == "" || bearer == "" {
		return false, errors.New("the webhook id or the bearer is empty")
	}
	expected := hex.EncodeToString(hmacSha256([]byte(webhookID), rawBody))
	hasBearer := hmac.Equal([]byte(header.Get("Authorization")), []byte("Bearer "+bearer))
	return hasBearer && hmac.Equal([]byte(header.Get("Signature")), []byte(expected)), nil
}

func hmacSha256(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
