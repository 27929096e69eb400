// Verifies a callback by `Signature` and `Authorization`, with nothing to install.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// IsGenuine takes the bytes of the body as received, and the two headers as http.Header.Get returns them.
func IsGenuine(rawBody []byte, authorization, signature, webhookID, bearer string) bool {
	mac := hmac.New(sha256.New, []byte(webhookID))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	return subtle.ConstantTimeCompare([]byte(authorization), []byte("Bearer "+bearer)) == 1 &&
		hmac.Equal([]byte(signature), []byte(expected))
}

// As a program: the body on stdin, the two headers as arguments, WEBHOOK_ID and BEARER in the environment.
func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: verify AUTHORIZATION SIGNATURE < body")
		os.Exit(2)
	}
	if !IsGenuine(body, os.Args[1], os.Args[2], os.Getenv("WEBHOOK_ID"), os.Getenv("BEARER")) {
		fmt.Println("not genuine")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
