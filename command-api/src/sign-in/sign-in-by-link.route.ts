import { LinkBody, SignedIn } from '@tidings/contracts'
import { type App, originOf, setSessionCookies } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { toSignedIn } from './signed-in.ts'

const schema = {
  operationId: 'auth.link',
  summary: 'Sign in by a link that works once; the answer sets the cookie of the session',
  description: 'The page behind the link sends what stands behind `#` in its address.',
  tags: ['auth'],
  body: LinkBody,
  response: { 200: SignedIn },
}

const config = { access: 'open', throttle: 10, refusals: ['link_failed'] } as const

/** `POST /auth/link`; not there where the dashboard is switched off (M71). */
export function signInByLink(app: App, { users }: Dependencies): void {
  const { signInByLink: signIn, secureCookies } = users
  if (signIn === null) return
  app.post('/auth/link', { schema, config }, async (request, reply) => {
    const { user, ...tokens } = await signIn(request.body.token, originOf(request))
    setSessionCookies(reply, tokens, secureCookies)
    reply.header('Cache-Control', 'no-store')
    return toSignedIn(user)
  })
}
