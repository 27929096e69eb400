<?php
// Verifies callbacks. Copy this file: it needs PHP 8 and no package.

// The maximum difference between `webhook-timestamp` and the clock of this machine.
const TOLERANCE_SECONDS = 300;

/**
 * Checks the headers of Standard Webhooks. Returns whether the callback is genuine and recent. Throws
 * InvalidArgumentException if $secret is not the signing secret of a webhook (`whsec_…`). $headers are getallheaders() or
 * another array with names in any case. $rawBody is file_get_contents('php://input'). $now is in Unix seconds.
 */
function verifyStandardWebhook(string $secret, array $headers, string $rawBody, ?int $now = null): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new InvalidArgumentException('The secret is not whsec_ and base64.');
    }
    $headers = array_change_key_case($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !preg_match('/^[0-9]{1,12}$/D', $timestamp)) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    // For 24 hours after a new secret was made, there are two signatures.
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/**
 * Checks the headers `Authorization` and `Signature`. Returns whether both are right. Throws InvalidArgumentException if
 * $webhookId or $bearer is empty. The key of `Signature` is the webhook's id, which is not secret: only $bearer
 * authenticates the caller. It is the webhook's `secret` or, if it has none, the callback token of the account.
 */
function verifySignature(string $webhookId, string $bearer, array $headers, string $rawBody): bool
{
    if ($webhookId === '' || $bearer === '') {
        throw new InvalidArgumentException('The webhook id or the bearer is empty.');
    }
    $headers = array_change_key_case($headers);
    $expected = hash_hmac('sha256', $rawBody, $webhookId);
    return hash_equals("Bearer $bearer", $headers['authorization'] ?? '')
        && hash_equals($expected, $headers['signature'] ?? '');
}
