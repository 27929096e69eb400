<?php
// Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings.
require __DIR__ . '/verify.php';

$secret = (string) getenv('SECRET');
$headers = array_change_key_case(getallheaders());
$body = file_get_contents('php://input');
$genuine = $secret !== ''
    ? verifyStandardWebhook($secret, $headers, $body)
    : verifySignature((string) getenv('WEBHOOK_ID'), (string) getenv('BEARER'), $headers, $body);
if ($genuine) {
    error_log("genuine $body");
}
http_response_code($genuine ? 200 : 401);
