import { expect, test } from 'vitest'
import { type CallFrame, isBusy, library, ownPart } from './cpu-profile.ts'

const frame = (functionName: string, url: string): CallFrame => ({ functionName, url, lineNumber: 0 })

test.each([
  ['our source', 'file:///tidings/packages/jobs/src/admit.ts', 'packages/jobs/src', null],
  ['the bundle', 'file:///tidings/node_modules/.cache/tidings/bundle-1/work.mjs', 'bundle', null],
  ['a library', 'file:///tidings/node_modules/.pnpm/pg@8/node_modules/pg/lib/client.js', null, 'pg'],
  ['a library with a scope', 'file:///tidings/node_modules/@fastify/ajv-compiler/index.js', null, '@fastify/ajv-compiler'],
  ['Node', 'node:net', null, null],
])('the owner of %s', (_, url, own, of) => {
  expect([ownPart(frame('run', url)), library(frame('run', url))]).toEqual([own, of])
})

test('neither waiting nor the writing of the profile is work of the service', () => {
  const frames = [frame('(idle)', ''), frame('post', 'node:inspector'), frame('post', 'file:///tidings/packages/http/src/post.ts')]
  expect(frames.map(isBusy)).toEqual([false, false, true])
})
