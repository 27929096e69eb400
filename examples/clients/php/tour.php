<?php

// Creates webhooks, lists all pages, rotates a signing secret, sends a delivery again and verifies its callback.

declare(strict_types=1);

use Ringback\Client\Api\DeliveriesApi;
use Ringback\Client\Api\EventsApi;
use Ringback\Client\Api\SigningApi;
use Ringback\Client\Api\WebhooksApi;
use Ringback\Client\Configuration;
use Ringback\Client\Model\Event;
use Ringback\Client\Model\WebhookInput;

// Composer's vendor/autoload.php, which loads the client and Guzzle.
require getenv('AUTOLOAD');

function configure(string $token): Configuration
{
    return (new Configuration())->setHost(getenv('BASE_URL'))->setAccessToken(getenv($token));
}

function check(bool $isTrue, string $what): void
{
    if (!$isTrue) {
        throw new RuntimeException("wrong: $what");
    }
}

function waitFor(callable $look): mixed
{
    for ($tries = 0; $tries < 600; $tries++) {
        if ($found = $look()) {
            return $found;
        }
        usleep(100_000);
    }
    throw new RuntimeException('waited too long');
}

$http = new GuzzleHttp\Client();
$config = configure('TOKEN');
$webhooks = new WebhooksApi($http, $config);
$deliveries = new DeliveriesApi($http, $config);

// Create.
$created = [];
foreach (range(1, 3) as $number) {
    $input = new WebhookInput(['name' => "php $number", 'uri' => getenv('CALLBACK_URI'), 'status' => 1]);
    $created[] = $webhooks->createWebhook($input)->getData();
}
$id = $created[0]->getId();

// List all pages.
$listed = [];
$page = 1;
do {
    $answer = $webhooks->listWebhooks($page, 2, 'php');
    foreach ($answer->getData() as $webhook) {
        $listed[] = $webhook->getId();
    }
} while ($page++ < $answer->getMeta()->getLastPage());
$ids = array_map(fn ($webhook) => $webhook->getId(), $created);
sort($ids);
sort($listed);
check($listed === $ids, 'the list');

// Rotate the signing secret.
$secret = (new SigningApi($http, $config))->rotateSigningSecret($id)->getData()->getSecret();

// Push an event, as the platform does, and wait for its delivery.
$event = new Event([
    'event' => 'sms:message:status',
    'webhook_id' => $id,
    'payload' => ['id' => 'php-1', 'status' => 'DELIVRD'],
]);
(new EventsApi($http, configure('PLATFORM_TOKEN')))->pushEvents([$event]);
$delivery = waitFor(fn () => $deliveries->listDeliveries(null, null, $id, ['delivered', 'failed'])->getData())[0];

// Send it again.
$deliveries->resendDelivery($delivery->getId());
$request = waitFor(function () use ($deliveries, $delivery) {
    $shown = $deliveries->showDelivery($delivery->getId())->getData();
    $attempts = $shown->getAttempts();
    return $shown->getState() === 'delivered' && count($attempts) === 2 ? $attempts[1]->getRequest() : null;
});

// Verify: a receiver does this with the headers and the raw body that it gets.
$headers = (array) $request->getHeaders();
$body = $request->getBody();
check(hash_equals(hash_hmac('sha256', $body, $id), $headers['Signature']), 'Signature');
$signed = "{$headers['webhook-id']}.{$headers['webhook-timestamp']}.$body";
$key = base64_decode(substr($secret, strlen('whsec_')));
$signature = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
check(in_array($signature, explode(' ', $headers['webhook-signature']), true), 'webhook-signature');
printf("created %d, listed %d, rotated, resent, verified\n", count($created), count($listed));
