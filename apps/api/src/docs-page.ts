import { Router } from 'express';

const endpoints: [string, string][] = [
  ['GET /developer/webhooks', 'list; page, per_page, filter[name], filter[trashed]'],
  ['POST /developer/webhooks', 'create; name, uri, status, secret, token, payload, signing'],
  ['GET /developer/webhooks/{id}', 'show'],
  ['PUT /developer/webhooks/{id}', 'edit'],
  ['DELETE /developer/webhooks/{id}', 'delete; can be restored'],
  ['POST /developer/webhooks/{id}/restore', 'restore'],
  ['GET /developer/webhooks/{id}/verification', 'outcome of the verification challenge'],
  ['POST /developer/webhooks/{id}/verification', 'run the challenge again'],
  ['GET /developer/subscriptions', 'list'],
  ['POST /developer/subscriptions', 'subscribe; event, identity, webhook_id'],
  ['GET /developer/subscriptions/{id}', 'show'],
  ['DELETE /developer/subscriptions/{id}', 'delete'],
  ['GET /developer/deliveries', 'the delivery log; cursor, per_page, filter[…]'],
  ['GET /developer/deliveries/{id}', 'a delivery, and its attempts as they went over the wire'],
  ['GET /developer/deliveries/{id}/curl', 'the newest request as a curl command'],
  ['GET /developer/messages/{message_id}', 'what happened to a message'],
  ['POST /events', 'push events, with a platform token'],
];

/** `/docs`: the endpoints on one page, which needs nothing from elsewhere. */
export function docsRouter(baseUrl: string): Router {
  const router = Router();
  const rows = endpoints.map(([call, what]) => `<tr><td><code>${call}</code></td><td>${what}</td></tr>`).join('\n');
  const example = `curl ${baseUrl}/developer/webhooks -H 'Authorization: Bearer ACCESS_TOKEN' \\
  -H 'Content-Type: application/json' -d '{"name":"orders","uri":"http://localhost:4000/"}'`;
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Ringback</title>
<body style="font-family:system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem">
<h1>Ringback</h1><p>All paths are below <code>${escapeHtml(baseUrl)}</code>; every call but <code>/events</code> takes an
access token of the account as <code>Authorization: Bearer</code>.</p>
<pre>${escapeHtml(example)}</pre><table cellpadding="6">${rows}</table></body></html>`;
  router.get('/docs', (_request, response) => void response.type('html').send(page));
  return router;
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
