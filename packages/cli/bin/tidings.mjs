#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import { CACHE, currentBundle } from './current-bundle.mjs'
import { nameSourceLines } from './source-lines.mjs'
import { startAgain } from './start-again.mjs'

if (process.argv[2] === 'start') startAgain()

// Stripped and compiled code is kept: a warm start takes 0.7 s of loading instead of 1.2 s, and the process is 20 MB smaller, because the
// type stripper is not loaded at all. Where the folder cannot be written, everything works without it.
enableCompileCache(CACHE)

// The bundle that `npm start` makes takes half the CPU of a start and 25 MB less (docs/explanation/architecture.md).
const bundle = process.env.TIDINGS_FROM_SOURCE === '1' ? null : currentBundle()
if (bundle !== null) nameSourceLines(bundle)
await (bundle === null ? import('../src/main.ts') : import(pathToFileURL(bundle).href))
