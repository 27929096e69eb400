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

// The programs run without the command line, which would take memory. The command line runs the rest.
const mains = { start: 'cli/dist/dev/main.js', api: 'api/dist/main.js', worker: 'worker/dist/main.js' };
const [name, ...args] = process.argv.slice(2);
const isProgram = Object.keys(mains).includes(name) && args.length === 0;
const main = require('path').join(__dirname, '../apps', isProgram ? mains[name] : 'cli/dist/main.js');
process.argv = [process.argv[0], main, ...process.argv.slice(isProgram ? 3 : 2)];
import(require('url').pathToFileURL(main).href);
