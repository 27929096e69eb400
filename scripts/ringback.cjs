#!/usr/bin/env node
// The executable of the npm package and of the image.
'use strict';
require('./boot.cjs').boot();

// The programs run without the command line, which would take memory. The command line runs the rest.
const mains = { start: 'cli/dist/dev/main.js', api: 'api/dist/main.js', worker: 'worker/dist/main.js' };
const [name, ...args] = process.argv.slice(2);
const isProgram = Object.keys(mains).includes(name) && args.length === 0;
const main = require('path').join(__dirname, '../apps', isProgram ? mains[name] : 'cli/dist/main.js');
process.argv = [process.argv[0], main, ...process.argv.slice(isProgram ? 3 : 2)];
import(require('url').pathToFileURL(main).href);
