import { describe } from '@jest/globals';
import { findChromium } from '@ringback/testing';
import { useFixture } from './fixture.js';
import { testAccess } from './stories/access.js';
import { testDeliveries } from './stories/deliveries.js';
import { testDeveloper } from './stories/developer.js';
import { testFrames } from './stories/frames.js';
import { testHostileContent } from './stories/hostile-content.js';
import { testKeyboard } from './stories/keyboard.js';
import { testOverview } from './stories/overview.js';
import { testReplays } from './stories/replays.js';
import { testScreens } from './stories/screens.js';
import { testSessions } from './stories/sessions.js';
import { testStates } from './stories/states.js';
import { testSupport } from './stories/support.js';
import { testWebhooks } from './stories/webhooks.js';

// One file, so that all stories use one stack. `npm run test:all` reports skipped tests. In CI, they are a failure.
(findChromium() ? describe : describe.skip)('the portal in a browser', () => {
  useFixture();
  describe('screens', testScreens);
  describe('states', testStates);
  describe('overview', testOverview);
  describe('webhooks', testWebhooks);
  describe('deliveries', testDeliveries);
  describe('replays', testReplays);
  describe('developer', testDeveloper);
  describe('support', testSupport);
  describe('keyboard', testKeyboard);
  describe('hostile content', testHostileContent);
  describe('sessions', testSessions);
  describe('frames', testFrames);
  describe('access', testAccess);
});
