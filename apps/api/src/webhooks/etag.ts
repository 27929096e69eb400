import type { Request, Response } from 'express';
import { StaleWebhookError, type VersionCondition, type Webhook } from '@ringback/ledger';
import { ApiError, sendSuccess } from '../http/response.js';
import { webhookResource } from './schema.js';

type Sent = { status?: 'text' | 'number'; warnings?: string[] };

/** Sends a webhook with its `ETag`, which differs after every change that the response shows. */
export function sendWebhook(response: Response, message: string, webhook: Webhook, sent: Sent = {}): void {
  const { status = 'text', warnings = [] } = sent;
  response.set('ETag', `"${webhook.version}"`);
  sendSuccess(response, message, webhookResource(webhook, status), warnings.length > 0 ? { warnings } : {});
}

/**
 * Reads `If-Match`. A weak tag (`W/"…"`) counts like a strong one, although RFC 9110 says that it matches nothing:
 * a proxy that compresses, such as nginx with `gzip`, makes our tags weak. Text without a tag, also an empty one,
 * matches nothing: it must not mean that there is no condition.
 */
export function readIfMatch(request: Request): VersionCondition {
  const text = request.get('If-Match')?.trim();
  if (text === undefined) return {};
  if (text === '*') return { versions: 'any' };
  return { versions: [...text.matchAll(/"([^"]*)"/g)].map(([, version = '']) => version) };
}

/** Throws a 412 for a webhook that was changed. Throws any other error unchanged. */
export function rethrowStaleWebhookError(error: unknown): never {
  if (!(error instanceof StaleWebhookError)) throw error;
  throw new ApiError(412, 'The webhook was changed in the meantime. Fetch it again and send its new ETag in If-Match.');
}
