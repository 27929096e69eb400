import { describe } from '@jest/globals';
import { findChromium } from '@ringback/testing';
import { testAccess } from './access.js';
import { testFrames } from './frames.js';
import { testHostileContent } from './hostile.js';
import { testKeyboard } from './keyboard.js';
import { testScreens } from './screens.js';
import { testSessions } from './sessions.js';
import { testStates } from './states.js';
import { testStories } from './stories.js';
import { testSupport } from './support.js';
import { useFixture } from './fixture.js';

// One file, so that all tests use one stack. `npm run test:all` reports skipped tests. In CI, they are a failure.
(findChromium() ? describe : describe.skip)('the portal in a browser', () => {
  useFixture();
  describe('screens', testScreens);
  describe('states', testStates);
  describe('stories', testStories);
  describe('support', testSupport);
  describe('keyboard', testKeyboard);
  describe('hostile content', testHostileContent);
  describe('sessions', testSessions);
  describe('frames', testFrames);
  describe('access', testAccess);
});
