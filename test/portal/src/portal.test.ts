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
import { useWorld } from './world.js';

// One file, so that all tests share one stack. `npm test` tells when they are skipped, and in CI that is a failure.
(findChromium() ? describe : describe.skip)('the portal in a browser', () => {
  useWorld();
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
