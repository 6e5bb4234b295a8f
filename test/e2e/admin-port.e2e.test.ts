import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from './support/service-process.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let admin: string
beforeAll(async () => {
  const port = await freePort()
  admin = `http://127.0.0.1:${port}`
  world = await startWorld({ TIDINGS_ADMIN_PORT: String(port) })
})
afterAll(() => world.stop())

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

describe('TIDINGS_ADMIN_PORT', () => {
  it('takes the metrics away from the port of callers, however they are spelled', async () => {
    for (const path of ['/metrics', '/%6detrics', '/metrics/', '/%6Detrics?x'])
      expect([path, await statusOf(world.url + path)]).toEqual([path, 404])
    const text = await (await fetch(`${admin}/metrics`)).text()
    expect(text).toContain('tidings_inbox_oldest_seconds')
    expect(text).toContain('tidings_webhook_waiting 0')
  })
  it('leaves health on both ports, and the API on one', async () => {
    for (const url of [world.url, admin]) {
      await expect.poll(() => statusOf(`${url}/health/ready`)).toBe(200)
      expect(await statusOf(`${url}/health/live`)).toBe(200)
    }
    expect([await statusOf(`${world.url}/api/v1/public/me`), await statusOf(`${admin}/api/v1/public/me`)]).toEqual([401, 404])
  })
})
