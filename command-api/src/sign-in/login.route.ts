import { LoginBody, SignedIn } from '@tidings/contracts'
import { type App, knownBrowser, limitKeyOf, originOf, setSessionCookies } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { toSignedIn } from './signed-in.ts'

const schema = {
  operationId: 'auth.login',
  summary: 'Sign in as a user of a workspace; the answer sets the cookie of the session',
  description: 'Its value may also be sent as `Authorization: Bearer`. `workspace` is needed where the address is a user of several.',
  tags: ['auth'],
  body: LoginBody,
  response: { 200: SignedIn },
}

const config = {
  access: 'open',
  throttle: 10,
  refusals: ['login_failed', 'login_slowed', 'login_ambiguous', 'workspace_not_active'],
} as const

/** `POST /auth/login` (N442, M40). */
export function login(app: App, { users }: Dependencies): void {
  app.post('/auth/login', { schema, config }, async (request, reply) => {
    const browser = knownBrowser(request)
    const { user, ...tokens } = await users.signIn({
      ...request.body,
      client: limitKeyOf(request.clientAddress),
      origin: originOf(request),
      ...(browser !== undefined && { browser }),
    })
    setSessionCookies(reply, tokens, users.secureCookies)
    reply.header('Cache-Control', 'no-store')
    return toSignedIn(user)
  })
}
