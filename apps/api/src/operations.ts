import { accountOperations } from './accounts/schema.js';
import { changeOperations } from './changes/schema.js';
import { deliveryOperations } from './deliveries/schema.js';
import { eventOperations } from './events/schema.js';
import { outcomeOperations } from './outcomes/schema.js';
import { portalSessionOperations } from './portal-sessions/schema.js';
import { replayOperations } from './replays/schema.js';
import { serviceOperations } from './service/schema.js';
import { signingSecretOperations } from './signing-secrets/schema.js';
import { statisticsOperations } from './statistics/schema.js';
import { subscriptionOperations } from './subscriptions/schema.js';
import { tokenOperations } from './tokens/schema.js';
import { tryingOutOperations } from './trying-out/schema.js';
import { verificationOperations } from './verification/schema.js';
import { webhookOperations } from './webhooks/schema.js';

/** All endpoints, in the order of the OpenAPI document. A test compares them with the mounted routes. */
export const operations = [
  ...webhookOperations,
  ...verificationOperations,
  ...signingSecretOperations,
  ...tryingOutOperations,
  ...subscriptionOperations,
  ...deliveryOperations,
  ...replayOperations,
  ...changeOperations,
  ...tokenOperations,
  ...portalSessionOperations,
  ...statisticsOperations,
  ...eventOperations,
  ...accountOperations,
  ...outcomeOperations,
  ...serviceOperations,
];
