<?php
// Verifies callbacks. Copy this file: it needs PHP 8 and no package.

// The maximum difference between `webhook-timestamp` and the clock of this machine.
const TOLERANCE_SECONDS = 300;

/**
 * Checks the headers of Standard Webhooks. Returns what is wrong with the callback; null if it is genuine and recent. Throws
 * InvalidArgumentException if $secret is not the signing secret of a webhook (`whsec_…`). $headers are getallheaders() or
 * another array with names in any case. $rawBody is file_get_contents('php://input'). $now is in Unix seconds.
 */
function findStandardWebhookProblem(string $secret, array $headers, string $rawBody, ?int $now = null): ?string
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new InvalidArgumentException('The secret is not whsec_ and base64.');
    }
    $headers = array_change_key_case($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = $headers['webhook-signature'] ?? '';
    foreach (['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signatures] as $name => $value) {
        if ($value === '') {
            return "the $name header is missing";
        }
    }
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp)) {
        return 'the webhook-timestamp header is not a Unix timestamp';
    }
    $age = ($now ?? time()) - (int) $timestamp;
    if (abs($age) > TOLERANCE_SECONDS) {
        return 'the webhook-timestamp header is ' . ($age > 0 ? 'too old' : 'in the future');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    // For 24 hours after a new secret was made, there are two signatures.
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return null;
        }
    }
    return 'the webhook-signature header is wrong';
}

/**
 * Checks the headers `Authorization` and `Signature`. Returns what is wrong with the callback; null if both are right. Throws
 * InvalidArgumentException if $webhookId or $bearer is empty. The key of `Signature` is the webhook's id, which is not secret: only $bearer
 * authenticates the caller. It is the webhook's `secret` or, if it has none, the callback token of the account.
 */
function findSignatureProblem(string $webhookId, string $bearer, array $headers, string $rawBody): ?string
{
    if ($webhookId === '' || $bearer === '') {
        throw new InvalidArgumentException('The webhook id or the bearer is empty.');
    }
    $headers = array_change_key_case($headers);
    $expected = ['Authorization' => "Bearer $bearer", 'Signature' => hash_hmac('sha256', $rawBody, $webhookId)];
    foreach ($expected as $name => $value) {
        $actual = $headers[strtolower($name)] ?? '';
        if (!hash_equals($value, $actual)) {
            return "the $name header is " . ($actual === '' ? 'missing' : 'wrong');
        }
    }
    return null;
}
