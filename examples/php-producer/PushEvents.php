<?php
// A queued job of Laravel 11 or newer: PushEvents::dispatch([$event, …]) with up to 1,000 events. config/services.php
// needs 'ringback' => ['base_url' => env('RINGBACK_BASE_URL'), 'platform_token' => env('RINGBACK_PLATFORM_TOKEN')].

namespace App\Jobs;

use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Support\Facades\Http;

class PushEvents implements ShouldQueue
{
    use Queueable;

    // An event that was stored is recognised, so the job can run again after any failure.
    public int $tries = 10;

    /** @param list<array{event: string, account_id?: string, webhook_id?: string, event_id?: string, payload: array}> $events */
    public function __construct(private array $events)
    {
    }

    /** The seconds before each further try. */
    public function backoff(): array
    {
        return [1, 2, 4, 8, 15, 30, 60];
    }

    public function handle(): void
    {
        $response = Http::withToken(config('services.ringback.platform_token'))
            ->timeout(30)
            ->post(config('services.ringback.base_url') . '/events', $this->events);
        if (in_array($response->status(), [400, 401, 403, 413, 422], true)) {
            $this->fail($response->toException()); // Another try would be refused too.
            return;
        }
        $response->throw();
        foreach ($response->json('data') as $index => ['id' => $id, 'state' => $state]) {
            logger()->info("event $state", ['id' => $id, 'message' => $this->events[$index]['payload']['id']]);
        }
    }
}
