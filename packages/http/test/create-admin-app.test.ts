import { afterEach, describe, expect, it } from 'vitest'
import type { App } from '../src/bare-app.ts'
import { createAdminApp } from '../src/create-app.ts'
import { demoApp } from './demo-app.fixture.ts'

const apps: App[] = []
const opened = (app: App): App => {
  apps.push(app)
  return app
}
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

describe('an app whose operators have a port of their own', () => {
  it.each(['/metrics', '/%6detrics', '/metrics/', '//metrics', '/METRICS', '/metrics?x=1', '/.%2fmetrics'])('shows no %s', async (url) => {
    const app = opened(demoApp({ adminPort: true }))
    const answer = await app.inject(url)
    expect([answer.statusCode, answer.json()]).toEqual([404, { success: false, message: `Cannot GET ${url}` }])
  })
  it('answers health, and counts what is shown on the other port', async () => {
    const app = opened(demoApp({ adminPort: true }))
    const admin = opened(createAdminApp({ ready: { postgres: () => Promise.reject(new Error('away')) } }))
    expect((await app.inject('/health/ready')).statusCode).toBe(200)
    const text = (await admin.inject('/metrics')).body
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/health/ready",status="200"}')
    expect([(await admin.inject('/health/live')).statusCode, (await admin.inject('/health/ready')).statusCode]).toEqual([200, 503])
  })
})

describe('the port for operators', () => {
  it('knows nothing else, and says so as the other port does', async () => {
    const admin = opened(createAdminApp({ ready: {} }))
    for (const url of ['/api/v1/public/me', '/openapi.json', '/docs', '/']) {
      const answer = await admin.inject({ url, headers: { 'x-request-id': 'mine' } })
      expect([answer.statusCode, answer.json().message, answer.headers['x-request-id']]).toEqual([404, `Cannot GET ${url}`, 'mine'])
    }
  })
})
