import { isValidEmail, normalizeEmail } from '@tidings/addresses'
import { appendContext, waitUntilVisible } from '@tidings/administration'
import { InvitedPerson, InvitePersonBody } from '@tidings/contracts'
import { Refused, user } from '@tidings/domain'
import type { App } from '@tidings/http'
import { findUser, unusablePasswordHash } from '@tidings/sign-in'
import type { DashboardDependencies } from '../dependencies.ts'
import { giveLink } from './give-link.ts'

const schema = {
  operationId: 'people.invite',
  summary: 'Let somebody sign in, by a link that the answer shows once and a mail that has another',
  tags: ['people'],
  body: InvitePersonBody,
  response: { 201: InvitedPerson },
}

const config = { access: 'session', dashboard: { role: 'owner' }, showsSecret: true, refusals: ['invalid_email', 'user_exists'] } as const

/** The user has no password yet: a hash that no password fits stands for it, until the first page asks for one. */
export function invitePerson(app: App, deps: DashboardDependencies): void {
  app.post('/people', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const email = normalizeEmail(request.body.email)
    if (!isValidEmail(email)) throw new Refused('invalid_email')
    const load = async (loading: Parameters<Parameters<typeof findUser>[0]>[0]) => (await deps.commands.load(loading)).state
    const { userId, stream, state } = await findUser(load, { workspaceId, email })
    if (state !== null) throw new Refused('user_exists')
    const data = { userId, email, role: request.body.role, passwordHash: unusablePasswordHash() }
    const context = appendContext(request, deps.now())
    const { position } = await deps.commands.execute({ decider: user, stream, command: { type: 'AddUser', data }, context })
    await waitUntilVisible(deps, reply, { position, projections: ['users'] })
    const given = { workspaceId, user: data, reason: 'invitation', language: request.body.language } as const
    const { url, expiresAt, ...mail } = await giveLink(deps, given)
    reply.code(201)
    return { id: userId, email, role: data.role, createdAt: context.at, link: { url, expiresAt }, ...mail }
  })
}
