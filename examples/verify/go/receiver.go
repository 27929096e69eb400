// Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md for its settings.
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

const maxBytes = 20_971_520

func findProblem(header http.Header, body []byte) (string, error) {
	if secret != "" {
		return FindStandardWebhookProblem(secret, header, body, time.Now())
	}
	return FindSignatureProblem(webhookID, bearer, header, body)
}

func receive(response http.ResponseWriter, request *http.Request) {
	// The length is -1 if a proxy sends the body in chunks.
	if request.ContentLength > maxBytes {
		http.Error(response, "the body is too large", http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
	if err != nil {
		http.Error(response, "the body is too large or incomplete", http.StatusUnauthorized)
		return
	}
	if problem, _ := findProblem(request.Header, body); problem != "" {
		http.Error(response, problem, http.StatusUnauthorized)
		return
	}
	fmt.Printf("genuine %s\n", body)
}

func main() {
	if secret == "" && (webhookID == "" || bearer == "") {
		log.Fatal("Set SECRET, or WEBHOOK_ID and BEARER.")
	}
	if _, err := findProblem(http.Header{}, nil); err != nil {
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
