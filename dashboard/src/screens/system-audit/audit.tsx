import { paths } from '../../paths.ts'
import { AuditPage } from '../../ui/audit-page.tsx'
import { useWords } from '../../words/words.tsx'

const SOURCE = { audit: '/dashboard/system/audit', people: '/dashboard/system/operators' } as const

/** The acts whose thing is the slug of a workspace. */
const OF_WORKSPACES: ReadonlySet<string> = new Set(['workspace', 'decision', 'credits', 'plan', 'status'])

const screenOf = (what: string, thing: string): string | null => {
  if (OF_WORKSPACES.has(what)) return paths.systemWorkspace(thing)
  return what === 'projection' ? paths.systemProjections() : null
}

/** What operators did, in whichever workspace. */
export function Component() {
  const { audit, system } = useWords()
  return <AuditPage title={audit.title} help={system.auditHelp} source={SOURCE} screenOf={screenOf} />
}
