import { expect, test } from 'vitest'
import { admission } from '../src/admission.ts'
import { authentication } from '../src/auth/authenticate.ts'
import { bareApp } from '../src/bare-app.ts'
import { bodies } from '../src/body/bodies.ts'
import { afterTimeout } from '../src/body/body-rate.ts'
import { createApp } from '../src/create-app.ts'
import { idempotency } from '../src/idempotency/idempotency.ts'
import { validation } from '../src/validation/validation.ts'
import { credentials } from './demo-app.fixture.ts'

const appWith = () => bareApp({ bodyLimit: 1_000, after: afterTimeout })

test('an app with authentication before the rate limits does not start', async () => {
  const app = appWith()
  app.register(admission)
  app.register(authentication, { credentials })
  await expect(app.ready()).rejects.toThrow("The dependency 'rate-limits' of plugin 'authentication' is not registered")
})

test('an app with validation before the bodies does not start', async () => {
  const app = appWith()
  app.register(admission)
  app.register(validation)
  app.register(bodies, { bodyLimit: 1_000, bodyBudget: 1_000, after: afterTimeout })
  await expect(app.ready()).rejects.toThrow("The dependency 'bodies' of plugin 'validation' is not registered")
})

test('an app with idempotency keys and no authentication does not start', async () => {
  const app = appWith()
  app.register(idempotency, {} as never)
  await expect(app.ready()).rejects.toThrow("of plugin 'idempotency' is not registered")
})

test('a route that is added before the conventions, and so would be open without a key, is refused', async () => {
  const app = createApp({ settings: { rateLimits: { default: 'off', key: 'off', forms: 'off' } }, authentication: { credentials } })
  expect(() => app.get('/early', async () => ({}))).toThrow('the route /early comes before the conventions')
  app.register(async (scope) => {
    scope.get('/late', async () => ({}))
  })
  expect((await app.inject({ url: '/late' })).statusCode).toBe(401)
  await app.close()
})
