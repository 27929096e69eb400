import type { Request, Response } from 'express';
import {
  CallbackTokenError,
  createWebhook,
  type Database,
  findWebhook,
  listSubscribedEvents,
  listWebhooks,
  restoreWebhook,
  resumeWebhook,
  softDeleteWebhook,
  TooManyWebhooksError,
  unknownDueAt,
  updateWebhook,
  UserinfoError,
  type Webhook,
} from '@ringback/ledger';
import { errorFields } from '@ringback/process';
import { channels, hasAtMostCharacters } from '@ringback/rules';
import { callerOf, databaseAsCaller, webhookNotFound } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { unknownFieldWarnings } from '../http/input.js';
import { readNumberedPage, sendNumberedPage } from '../http/pages.js';
import { sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { readIfMatch, rethrowStaleWebhookError, sendWebhook } from './etag.js';
import { readWebhookFilter } from './filter.js';
import {
  editFields,
  newWebhookFields,
  readNewWebhook,
  readWebhookPatch,
  readWebhookUpdate,
  webhookResource,
} from './schema.js';
import { templateWarnings } from './warnings.js';

export const webhookRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/webhooks': (request, response) => list(deps, request, response),
  'POST /developer/webhooks': (request, response) => create(deps, request, response),
  'GET /developer/webhooks/{id}': (request, response) => show(deps, request, response),
  'PUT /developer/webhooks/{id}': (request, response) => edit(deps, readWebhookUpdate, request, response),
  'PATCH /developer/webhooks/{id}': (request, response) => edit(deps, readWebhookPatch, request, response),
  'DELETE /developer/webhooks/{id}': (request, response) => remove(deps, request, response),
  'POST /developer/webhooks/{id}/restore': (request, response) => restore(deps, request, response),
  'POST /developer/webhooks/{id}/resume': (request, response) => resume(deps, request, response),
});

/** The live webhook in the path of a request. Throws a 404 if the account has none with this id. */
export async function requireWebhook(db: Database, request: ApiRequest): Promise<Webhook> {
  const webhook = await findWebhook(db, callerOf(request).accountId, request.params.id);
  if (!webhook) throw webhookNotFound();
  return webhook;
}

async function list({ db, baseUrl }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { linkQuery, ...filter } = readWebhookFilter(request);
  const { accountId, webhookIds } = callerOf(request);
  const selection = { ...filter, ...readNumberedPage(request), webhookIds };
  const { webhooks, total } = await listWebhooks(db, accountId, selection);
  const data = webhooks.map((webhook) => webhookResource(webhook));
  // The odd message of a list (docs/reference/api.md#compatible-oddities).
  const message = 'Created successfully';
  const listUrl = `${baseUrl}/developer/webhooks`;
  sendNumberedPage(request, response, { message, listUrl, linkQuery, data, total });
}

async function create(deps: ApiDeps, request: Request, response: Response): Promise<void> {
  const { db, egressAllowList, maxWebhooksPerAccount: maxWebhooks } = deps;
  const input = readNewWebhook(request.body, egressAllowList);
  const { accountId } = callerOf(request);
  const { webhook, verificationId } = await createWebhook(databaseAsCaller(request, db), accountId, input, {
    maxWebhooks,
    idempotencyKey: readIdempotencyKey(request),
  })
    .catch((error: unknown) => rethrowWebhookLimitError(error, maxWebhooks))
    .catch(rethrowUserinfoError);
  if (verificationId !== null) await tryEnqueueVerification(deps, verificationId);
  const warnings = [...unknownFieldWarnings(request.body, newWebhookFields), ...templateWarnings(webhook, [])];
  sendWebhook(response, 'Created successfully', webhook, { warnings });
}

function readIdempotencyKey(request: Request): string | undefined {
  const key = request.get('Idempotency-Key')?.trim() || undefined;
  const message = 'Idempotency-Key must not be longer than 255 characters';
  if (key !== undefined && !hasAtMostCharacters(key, 255)) throw validationError({ 'Idempotency-Key': [message] });
  return key;
}

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  sendWebhook(response, 'OK', await requireWebhook(db, request), { status: 'number' });
}

async function edit(
  deps: ApiDeps,
  read: typeof readWebhookPatch,
  request: ApiRequest,
  response: Response,
): Promise<void> {
  const { db, egressAllowList } = deps;
  const stored = await requireWebhook(db, request);
  const { accountId, id } = stored;
  const forbidTokenDiversion = callerOf(request).webhookIds !== undefined;
  const changes = { ...read(request.body, egressAllowList, stored), ...readIfMatch(request), forbidTokenDiversion };
  const edited = await updateWebhook(databaseAsCaller(request, db), accountId, id, changes)
    .catch(rethrowStaleWebhookError)
    .catch(rethrowUserinfoError)
    .catch(rethrowCallbackTokenError);
  if (!edited) throw webhookNotFound();
  const { webhook, verificationId } = edited;
  if (verificationId !== null) await tryEnqueueVerification(deps, verificationId);
  const events = await listSubscribedEvents(db, accountId, webhook.id);
  const warnings = [...unknownFieldWarnings(request.body, editFields), ...templateWarnings(webhook, events)];
  sendWebhook(response, 'Updated successfully', webhook, { warnings });
}

async function remove({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const deleting = softDeleteWebhook(databaseAsCaller(request, db), accountId, request.params.id, readIfMatch(request));
  if (!(await deleting.catch(rethrowStaleWebhookError))) throw webhookNotFound();
  sendSuccess(response, 'Deleted successfully', []);
}

async function restore(deps: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { db, maxWebhooksPerAccount: maxWebhooks } = deps;
  const { accountId } = callerOf(request);
  const options = { maxWebhooks, ...readIfMatch(request) };
  const webhook = await restoreWebhook(databaseAsCaller(request, db), accountId, request.params.id, options)
    .catch((error: unknown) => rethrowWebhookLimitError(error, maxWebhooks))
    .catch(rethrowStaleWebhookError);
  if (!webhook) throw webhookNotFound();
  sendWebhook(response, 'Restored successfully', webhook);
}

/** Ends the pause of a webhook, and wakes the workers for its waiting deliveries. */
async function resume({ db, waker }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const webhook = await resumeWebhook(databaseAsCaller(request, db), accountId, request.params.id);
  if (!webhook) throw webhookNotFound();
  waker.wake(channels.map((channel) => ({ webhookId: webhook.id, channel, accountId, id: null, dueAt: unknownDueAt })));
  sendWebhook(response, 'Resumed successfully', webhook);
}

/** Throws a 422 for too many webhooks. Throws any other error unchanged. */
function rethrowWebhookLimitError(error: unknown, maxWebhooks: number): never {
  if (!(error instanceof TooManyWebhooksError)) throw error;
  throw validationError({ webhooks: [`An account may have at most ${maxWebhooks} webhooks that are not deleted.`] });
}

const userinfoError =
  'The uri field has ******** in place of a user and password. That keeps those of the webhook while the user, ' +
  'scheme, host and port stay the same. Otherwise write them out.';

/** Throws a 422 for a uri with a mask that stands for nothing. Throws any other error unchanged. */
function rethrowUserinfoError(error: unknown): never {
  if (!(error instanceof UserinfoError)) throw error;
  throw validationError({ uri: [userinfoError] });
}

const callbackTokenErrors = {
  uri:
    'The uri field cannot change in a session that is restricted to some webhooks while the webhook has no ' +
    'secret. Give a secret too.',
  secret: 'The secret field cannot be cleared in a session that is restricted to some webhooks.',
};

/** Throws a 422 for an edit that would divert the account's callback token. Throws any other error unchanged. */
function rethrowCallbackTokenError(error: unknown): never {
  if (!(error instanceof CallbackTokenError)) throw error;
  throw validationError({ [error.field]: [callbackTokenErrors[error.field]] });
}

/**
 * Enqueues a verification. A failure is only logged, because a worker later finds the stored verification and enqueues
 * it.
 */
export async function tryEnqueueVerification(
  { queues, log }: Pick<ApiDeps, 'queues' | 'log'>,
  verificationId: string,
): Promise<void> {
  try {
    await queues.enqueueVerification(verificationId);
  } catch (error) {
    log.error('verification.not_queued', { verification_id: verificationId, ...errorFields(error) });
  }
}
