<?php
// Receives callbacks with Laravel 11 or newer. Copy ../../verify/php/verify.php to app/verify.php, and add to
// routes/api.php, whose routes have no CSRF protection: Route::post('/callbacks', CallbackController::class);

namespace App\Http\Controllers;

use Illuminate\Http\Request;
use Illuminate\Http\Response;

require_once base_path('app/verify.php');

class CallbackController
{
    public function __invoke(Request $request): Response
    {
        // The signature covers the bytes as they came: getContent(), not all().
        $headers = array_map(fn (array $values) => $values[0], $request->headers->all());
        $problem = findStandardWebhookProblem(config('services.ringback.secret'), $headers, $request->getContent());
        if ($problem !== null) {
            return response($problem, 401);
        }
        HandleCallback::dispatch($request->json()->all()); // A queued job of yours: answer within 3 seconds.
        return response('', 200);
    }
}
