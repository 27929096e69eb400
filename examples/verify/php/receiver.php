<?php
// Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md for its settings.
require __DIR__ . '/verify.php';

[$secret, $webhookId, $bearer] = array_map(fn ($name) => (string) getenv($name), ['SECRET', 'WEBHOOK_ID', 'BEARER']);
if ($secret === '' && ($webhookId === '' || $bearer === '')) {
    throw new RuntimeException('Set SECRET, or WEBHOOK_ID and BEARER.');
}
$headers = getallheaders();
$body = file_get_contents('php://input');
$problem = $secret !== ''
    ? findStandardWebhookProblem($secret, $headers, $body)
    : findSignatureProblem($webhookId, $bearer, $headers, $body);
if ($problem === null) {
    error_log("genuine $body");
}
http_response_code($problem === null ? 200 : 401);
header('Content-Type: text/plain');
echo $problem;
