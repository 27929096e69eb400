// Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

var secret, webhookID, bearer = os.Getenv("SECRET"), os.Getenv("WEBHOOK_ID"), os.Getenv("BEARER")

func isGenuine(header http.Header, body []byte) (bool, error) {
	if secret != "" {
		return VerifyStandardWebhook(secret, header, body, time.Now())
	}
	return VerifySignature(webhookID, bearer, header, body)
}

func receive(response http.ResponseWriter, request *http.Request) {
	// Callbacks have a Content-Length.
	if request.ContentLength < 0 || request.ContentLength > 20_971_520 {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // The caller is gone.
	}
	if genuine, _ := isGenuine(request.Header, body); !genuine {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	fmt.Printf("genuine %s\n", body)
}

func main() {
	if secret == "" && (webhookID == "" || bearer == "") {
		log.Fatal("Set SECRET, or WEBHOOK_ID and BEARER.")
	}
	if _, err := isGenuine(http.Header{}, nil); err != nil {
		log.Fatal(err) // A malformed secret ends the program now.
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", ":"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("receiving at http://localhost:%d/\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
