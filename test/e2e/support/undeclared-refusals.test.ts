import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusedSince, undeclaredRefusals } from './undeclared-refusals.ts'

let metrics = ''
let url: string
const server = createServer((_, response) => response.end(metrics))
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const line = (route: string, code: string, times: number) => `http_undeclared_refusals_total{route="${route}",code="${code}"} ${times}\n`

test('what a process refused before is not refused since, until it is again', async () => {
  metrics = line('POST /before', 'tag_limit_reached', 1)
  const before = await undeclaredRefusals(url)
  expect(before).toEqual(new Map([['POST /before: tag_limit_reached', 1]]))
  expect(refusedSince(before, await undeclaredRefusals(url))).toEqual([])

  metrics = line('POST /before', 'tag_limit_reached', 2) + line('POST /since', 'profile_not_found', 1)
  expect(refusedSince(before, await undeclaredRefusals(url))).toEqual(['POST /before: tag_limit_reached', 'POST /since: profile_not_found'])
})

test('a process that answers no more has nothing to say', async () => {
  expect(await undeclaredRefusals('http://127.0.0.1:1')).toEqual(new Map())
})
