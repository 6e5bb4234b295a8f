import type { MadeLink } from '@tidings/contracts'
import type { WorkspaceId } from '@tidings/domain'
import { askForLinkMail, LINK_HOURS, type LinkMail, makeSignInLink, NOT_MAILED, signInLinkUrl } from '@tidings/sign-in'
import type { DashboardDependencies } from '../dependencies.ts'
import type { KnownUser } from './people.ts'

type Giving = Pick<DashboardDependencies, 'linkMails' | 'now' | 'pool' | 'publicUrl'>
type LinkRequest = Readonly<{
  workspaceId: WorkspaceId
  user: KnownUser
  reason: LinkMail['reason']
  language: LinkMail['language'] | undefined
}>

/** Makes a link to pass on by hand, and has another mailed. Where it dies in between, the caller has no answer and asks for a new one. */
export async function giveLink({ linkMails, now, pool, publicUrl }: Giving, given: LinkRequest): Promise<MadeLink> {
  const { workspaceId, user, reason, language = 'en' } = given
  const { token, expiresAt } = await makeSignInLink(pool, { workspaceId, user, hours: LINK_HOURS[reason] })
  const code = await askForLinkMail({ pool, ...linkMails }, { workspaceId, user, mail: { reason, language, askedAt: now() } })
  const notMailed = code === null ? null : { code, message: NOT_MAILED[code] }
  return { url: signInLinkUrl(publicUrl, token), expiresAt, mailed: code === null, notMailed }
}
