// The types of the resources, from the OpenAPI document of the API.
import type { components, operations } from './generated/openapi.js';
import type { LastResponse } from './transport.js';

type Schemas = components['schemas'];

export type Webhook = Schemas['Webhook'];
/** A webhook as `retrieve` returns it: the API shows its `status` as a number there. */
export type RetrievedWebhook = Schemas['WebhookWithNumericStatus'];
export type NewWebhook = Schemas['WebhookInput'];
export type WebhookChanges = Schemas['WebhookPatch'];
export type Verification = Schemas['Verification'];
export type SigningSecret = Schemas['SigningSecret'];
export type NewTestCall = Schemas['TestCallInput'];
export type TestCall = Schemas['TestCall'];
export type NewPreview = Schemas['PreviewInput'];
export type Preview = Schemas['Preview'];
export type Subscription = Schemas['Subscription'];
export type NewSubscription = Schemas['SubscriptionInput'];
export type SavedSubscription = Schemas['Subscription'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Message = Schemas['Message'];
export type Replay = Schemas['Replay'];
export type Change = Schemas['Change'];
export type AccessToken = Schemas['AccessToken'];
export type CreatedAccessToken = Schemas['CreatedAccessToken'];
export type NewAccessToken = WithoutMethod<Schemas['AccessTokenInput']>;
export type AccountStatistics = Schemas['AccountStatistics'];
export type WebhookStatistics = Schemas['WebhookStatistics'];
export type EventKind = Schemas['EventKind'];
export type Account = Schemas['Account'];
export type NewAccount = WithoutMethod<Schemas['AccountInput']>;
export type CreatedAccount = Schemas['AccountWithCallbackToken'];
export type SavedAccount = Schemas['PutAccount'];
export type AccountChanges = WithoutMethod<Schemas['AccountPatch']>;
export type Outcome = Schemas['Outcome'];
export type NewPortalSession = WithoutMethod<Schemas['PortalSessionInput']>;
export type CreatedPortalSession = Schemas['CreatedPortalSession'];

/** `_method` is for clients that can only POST. */
type WithoutMethod<T> = Omit<T, '_method'>;

/** What a call resolves with: the `data` of the response, and the rest of it in a property that is not enumerated. */
export type Returned<T> = T & { readonly lastResponse: LastResponse };

type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;
type Filters<Q> = { [Name in keyof Q as Name extends `filter[${infer Field}]` ? Field : never]?: OneOrMore<Q[Name]> };
/** A list, which the query has with commas, may be a single value. */
type OneOrMore<Value> = Value extends (infer One)[] ? One | One[] : Value;

/** The query parameters of a list. `filter[name]` of the API is `filter: { name }`. */
export type ListParams<Name extends keyof operations> = Omit<QueryOf<Name>, `filter[${string}]`> & {
  filter?: Filters<QueryOf<Name>>;
};

export type BodyOf<Name extends keyof operations> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? WithoutMethod<Body>
  : never;
