import { useSlug } from '../../app/session.ts'
import { AuditPage } from '../../ui/audit-page.tsx'
import { useWords } from '../../words/words.tsx'
import { screenOf } from './entry.ts'

const SOURCE = { audit: '/dashboard/audit', people: '/dashboard/people' } as const

/** Shows who did what in the workspace, and who looked at what. */
export function Component() {
  const { audit } = useWords()
  const slug = useSlug()
  return <AuditPage title={audit.title} help={audit.help} source={SOURCE} screenOf={(what, thing) => screenOf(what, thing, slug)} />
}
