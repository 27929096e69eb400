import type { Request, Response } from 'express';
import { z } from 'zod';
import { StaleWebhookError, type VersionCondition, type Webhook } from '@ringback/ledger';
import { ApiError } from '../http/output/api-error.js';
import { sendSuccess } from '../http/output/envelope.js';
import { webhookResource } from './resource.js';

/** The request header of an operation that changes a webhook, for the OpenAPI document. */
export const ifMatchHeader = {
  'If-Match': z
    .string()
    .optional()
    .describe(
      'The `ETag` of the webhook that the change is meant for, several of them, or `*`. When the webhook has another ' +
        'one now, nothing is changed and the response is a 412. When absent, the change is always made.',
    ),
};

type Sent = { status?: 'text' | 'number'; warnings?: string[] };

/** Sends a webhook with its `ETag`, which differs after every change that the response shows. */
export function sendWebhook(response: Response, message: string, webhook: Webhook, sent: Sent = {}): void {
  const { status = 'text', warnings = [] } = sent;
  response.set('ETag', `"${webhook.version}"`);
  sendSuccess(response, message, webhookResource(webhook, status), warnings.length > 0 ? { warnings } : {});
}

/**
 * Reads `If-Match`. RFC 9110 demands the strong comparison, so weak tags (`W/"…"`) match nothing. Text without a tag,
 * also an empty one, matches nothing either: it must not mean that there is no condition.
 */
export function readIfMatch(request: Request): VersionCondition {
  const text = request.get('If-Match')?.trim();
  if (text === undefined) return {};
  if (text === '*') return { versions: 'any' };
  const tags = [...text.matchAll(/(W\/)?"([^"]*)"/g)];
  return { versions: tags.flatMap(([, weak, version = '']) => (weak === undefined ? [version] : [])) };
}

/** Throws a 412 for a webhook that was changed. Throws any other error unchanged. */
export function rethrowStaleWebhookError(error: unknown): never {
  if (!(error instanceof StaleWebhookError)) throw error;
  throw new ApiError(412, 'The webhook was changed in the meantime. Fetch it again and send its new ETag in If-Match.');
}
