import { NavLink } from 'react-router'
import type { SignedIn } from '../api/calls.ts'
import { paths } from '../paths.ts'
import { useWords } from '../words/words.tsx'
import styles from './navigation.module.css'
import { isAdmin, useSlug } from './session.ts'

export type NavigationEntry = Readonly<{ to: string; text: string; end?: boolean }>

/** What this role may open in the workspace of the address. */
export function useWorkspaceEntries(session: SignedIn | undefined): readonly NavigationEntry[] {
  const { nav } = useWords()
  const slug = useSlug()
  return [
    { to: paths.overview(slug), text: nav.overview, end: true },
    { to: paths.profiles(slug), text: nav.profiles },
    { to: paths.messages(slug), text: nav.messages },
    { to: paths.lists(slug), text: nav.lists },
    { to: paths.templates(slug), text: nav.templates },
    { to: paths.campaigns(slug), text: nav.campaigns },
    { to: paths.flows(slug), text: nav.flows },
    { to: paths.events(slug), text: nav.events },
    { to: paths.credits(slug), text: nav.credits },
    ...(isAdmin(session)
      ? [
          { to: paths.forms(slug), text: nav.forms },
          { to: paths.senders(slug), text: nav.senders },
          { to: paths.webhooks(slug), text: nav.webhooks },
          { to: paths.tokens(slug), text: nav.tokens },
          { to: paths.deadLetters(slug), text: nav.deadLetters },
          { to: paths.erasures(slug), text: nav.erasures },
          { to: paths.proofs(slug), text: nav.proofs },
          { to: paths.people(slug), text: nav.people },
          { to: paths.fields(slug), text: nav.fields },
          { to: paths.tags(slug), text: nav.tags },
          { to: paths.connectors(slug), text: nav.connectors },
          { to: paths.audit(slug), text: nav.audit },
          { to: paths.workspace(slug), text: nav.settings },
        ]
      : []),
    ...(session?.user.role === 'owner' ? [{ to: paths.file(slug), text: nav.file }] : []),
    ...(session?.operator ? [{ to: paths.system(), text: nav.system }] : []),
  ]
}

/** What an operator may open of the installation, and the way to the workspace of a session that has one. */
export function useSystemEntries(session: SignedIn | undefined): readonly NavigationEntry[] {
  const { nav } = useWords()
  const workspace = session?.workspace ?? null
  return [
    { to: paths.system(), text: nav.system, end: true },
    { to: paths.systemProjections(), text: nav.projections },
    { to: paths.systemWorkspaces(), text: nav.workspaces },
    { to: paths.systemApprovals(), text: nav.approvals },
    { to: paths.systemDeadLetters(), text: nav.deadLetters },
    { to: paths.systemAudit(), text: nav.audit },
    ...(workspace === null ? [] : [{ to: paths.overview(workspace.slug), text: nav.toWorkspace(workspace.slug), end: true }]),
  ]
}

type Props = Readonly<{ entries: readonly NavigationEntry[]; onMove?: () => void }>

export function Navigation({ entries, onMove }: Props) {
  const { app } = useWords()
  return (
    <nav aria-label={app.navigation}>
      <ul className={styles.entries}>
        {entries.map(({ to, text, end = false }) => (
          <li key={to}>
            <NavLink to={to} end={end} className={styles.entry ?? ''} {...(onMove && { onClick: onMove })}>
              {text}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
