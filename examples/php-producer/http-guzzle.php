<?php
// Pushes a delivery report over HTTP with Guzzle 7. composer require guzzlehttp/guzzle
require 'vendor/autoload.php';

use GuzzleHttp\Client;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;

// An event that was stored is recognised, so a push can be repeated after any failure.
$isAway = fn (int $retries, $request, $response = null, $error = null): bool =>
    $retries < 5
    && ($error instanceof ConnectException || in_array($response?->getStatusCode(), [408, 429, 502, 503, 504], true));
$delayMs = fn (int $retries, $response = null): int =>
    1000 * min(60, (int) ($response?->getHeaderLine('Retry-After') ?: 2 ** ($retries - 1)));
$stack = HandlerStack::create();
$stack->push(Middleware::retry($isAway, $delayMs));
$client = new Client([
    'base_uri' => rtrim(getenv('BASE_URL'), '/') . '/',
    'handler' => $stack,
    'timeout' => 30,
    'headers' => ['Authorization' => 'Bearer ' . getenv('PLATFORM_TOKEN')],
]);

$messageId = $argv[1] ?? bin2hex(random_bytes(16)) . ':1';
$event = [
    'event' => 'sms:message:status',
    'account_id' => getenv('ACCOUNT_ID'),
    'payload' => ['id' => $messageId, 'mobile' => '918921269000', 'status' => 'DELIVRD', 'credits' => '2.0000', 'units' => 2],
];
// A refusal (4xx) throws a ClientException, whose message has the answer.
$response = $client->post('events', ['json' => [$event]]);
[$pushed] = json_decode($response->getBody(), true)['data'];
echo "pushed $messageId: {$pushed['state']}\n";
