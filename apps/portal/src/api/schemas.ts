import type { components } from '@ringback/client';

type Schemas = components['schemas'];

export type PortalSession = Schemas['PortalSession'];
export type Theme = Schemas['PortalTheme'];
export type Scope = PortalSession['scopes'][number];
export type Webhook = Schemas['Webhook'];
export type ShownWebhook = Schemas['WebhookWithNumericStatus'];
export type NewWebhook = Schemas['WebhookInput'];
export type WebhookPatch = Schemas['WebhookPatch'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Attempt = Schemas['Attempt'];
export type Preview = Schemas['Preview'];
export type Subscription = Omit<Schemas['Subscription'], 'payload'>;
export type Statistics = Schemas['WebhookStatistics'];
export type AccountStatistics = Schemas['AccountStatistics'];
export type Counts = Schemas['StatisticCounts'];
export type EventName = Schemas['TestCallInput']['event'];
export type DeliveryState = Delivery['state'];
export type ErrorClass = NonNullable<Delivery['error']>;
export type Verification = Schemas['Verification'];
export type TestCall = Schemas['TestCall'];
export type Change = Schemas['Change'];
export type Replay = Schemas['Replay'];
export type AccessToken = Schemas['AccessToken'];
export type EventKind = Schemas['EventKind'];
