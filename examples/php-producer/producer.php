<?php
// Pushes a delivery report with the official BullMQ client for PHP, without any job options.
require 'vendor/autoload.php';

use BullMQ\Queue;

$messageId = $argv[1] ?? bin2hex(random_bytes(16)) . ':1';
$data = [
    'account_id' => getenv('ACCOUNT_ID'),
    'webhook_id' => getenv('WEBHOOK_ID'),
    'payload' => [
        'id' => $messageId, 'mobile' => '918921269000', 'status' => 'DELIVRD', 'credits' => '2.0000', 'units' => 2,
    ],
];

$queue = new Queue('sms-events', [
    'connection' => getenv('REDIS_URL') ?: 'redis://localhost:6379',
    'prefix' => getenv('QUEUE_PREFIX') ?: 'ringback',
]);
// An id that is not known is left out, not sent as false.
$queue->add('sms:message:status', array_filter($data));
echo "pushed $messageId\n";
