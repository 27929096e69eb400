import type { Account, SentEvent, Stack, Webhook } from './stack.js';

/** An account with webhooks that work and fail, and with delivered and failed deliveries. */
export type Shop = {
  account: Account;
  orders: Webhook;
  warehouse: Webhook;
  failed: SentEvent;
};

const notFoundBody = JSON.stringify({ error: 'not_found', message: 'There is no route POST /old/delivery-reports.' });

/** Creates the shop. */
export async function createShop(stack: Stack): Promise<Shop> {
  const account = await stack.createAccount('Northwind Traders');
  stack.answers.set('/old/delivery-reports', {
    status: 404,
    body: notFoundBody,
    headers: { 'Content-Type': 'application/json', Server: 'nginx' },
  });
  stack.answers.set('/chat', 'reset');
  const orders = await stack.createWebhook(account, 'Order updates', '/orders');
  const warehouse = await stack.createWebhook(account, 'Warehouse', '/old/delivery-reports');
  const chat = await stack.createWebhook(account, 'Customer chat', '/chat');
  await account.call('POST', '/developer/subscriptions', { event: 'sms:message:status', webhook_id: orders.id });
  const [failed] = await Promise.all([
    stack.deliver(account, warehouse, { state: 'failed', payload: { status: 'UNDELIV', mobile: '447700900123' } }),
    stack.deliver(account, orders),
    stack.deliver(account, chat, { kind: 'rcs-in', state: 'failed' }),
    ...Array.from({ length: 26 }, () => stack.deliver(account, orders, { kind: 'rcs-status' })),
  ]);
  return { account, orders, warehouse, failed };
}
