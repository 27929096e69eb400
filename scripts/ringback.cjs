#!/usr/bin/env node
// The executable of the npm package and of the image. It must run on old versions of Node, so that it can say that Node
// is too old.
'use strict';
const isNewEnough = require('./node-version.cjs');

if (!isNewEnough(process.versions.node)) {
  process.stderr.write(`ringback: Ringback needs Node 20.19 or newer; this is Node ${process.versions.node}\n`);
  process.exit(1);
}
require('./threads.cjs');
require('./end-with-npm.cjs')();

// `sandbox`, and the other programs without arguments, run directly, because the command line would take memory. The
// command line runs the rest.
const [name, ...args] = process.argv.slice(2);
const isProgram = name === 'sandbox' || (['start', 'api', 'worker'].includes(name) && args.length === 0);
const main = require('path').join(__dirname, '..', 'apps', isProgram ? name : 'cli', 'dist', 'main.js');
process.argv = [process.argv[0], main, ...(isProgram ? args : process.argv.slice(2))];
import(require('url').pathToFileURL(main).href);
