// Runs ../vectors.json, or the file of the first argument.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

type vector struct {
	Name, Expected, Reason, Scheme, Secret, Now, Bearer string
	WebhookID                                           string `json:"webhook_id"`
	BodyBase64                                          string `json:"body_base64"`
	Headers                                             map[string]string
}

func findProblem(v vector) (string, error) {
	header := http.Header{}
	for name, value := range v.Headers {
		header.Set(name, value)
	}
	body, err := base64.StdEncoding.DecodeString(v.BodyBase64)
	if err != nil {
		log.Fatal(err)
	}
	if v.Scheme == "signature" {
		return FindSignatureProblem(v.WebhookID, v.Bearer, header, body)
	}
	now, _ := strconv.ParseInt(v.Now, 10, 64)
	return FindStandardWebhookProblem(v.Secret, header, body, time.Unix(now, 0))
}

func resultOf(v vector) string {
	problem, err := findProblem(v)
	switch {
	case err != nil:
		return "error"
	case problem == "":
		return "genuine"
	case problem == v.Reason:
		return "refused"
	}
	return problem
}

func main() {
	file := "../vectors.json"
	if len(os.Args) > 1 {
		file = os.Args[1]
	}
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		log.Fatal(err)
	}
	passed := 0
	for _, v := range vectors {
		if result := resultOf(v); result == v.Expected {
			passed++
		} else {
			fmt.Printf("FAILED %s: expected %s, got %s\n", v.Name, v.Expected, result)
		}
	}
	fmt.Printf("%d of %d vectors passed\n", passed, len(vectors))
	if passed < len(vectors) {
		os.Exit(1)
	}
}
