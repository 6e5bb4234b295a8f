import { afterAll, beforeAll, expect, it } from 'vitest'
import { formOf, SHOP } from './support/forms.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: '10', TIDINGS_RATE_LIMIT_DEFAULT: '60', TIDINGS_RATE_LIMIT_KEY: '1200' })
})
afterAll(() => world.stop())

it('an address has ten sign-ups a minute, and the page reads that it has no more', async () => {
  const form = formOf(await world.workspace('acme', `features: [embedded_forms]\nformOrigins: ["${SHOP}"]`))
  for (let n = 0; n < 10; n++) {
    const { status, headers } = await form.subscribe(n % 2 === 0 ? { email: `n${n}@example.com` } : {})
    expect(status).toBe(n % 2 === 0 ? 200 : 400)
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['10', String(9 - n)])
  }
  const { status, headers, body } = await form.subscribe({ email: 'eleven@example.com' })
  expect([status, body.message]).toEqual([429, 'Too many requests, please try again later'])
  expect(headers.get('access-control-allow-origin')).toBe(SHOP)
  expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  // Neither a preflight nor the script counts, or a page that is opened often could not be sent.
  for (let n = 0; n < 70; n++) expect((await form.preflight()).status).toBe(204)
})
