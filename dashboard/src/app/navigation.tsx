import { NavLink } from 'react-router'
import type { SignedIn } from '../api/calls.ts'
import { paths } from '../paths.ts'
import { useWords } from '../words/words.tsx'
import styles from './navigation.module.css'
import { isAdmin, useSlug } from './session.ts'

/** What this role may open. */
export function Navigation({ session, onMove }: Readonly<{ session: SignedIn; onMove?: () => void }>) {
  const { nav, app } = useWords()
  const slug = useSlug()
  const entries: readonly Readonly<{ to: string; text: string; end?: boolean }>[] = [
    { to: paths.overview(slug), text: nav.overview, end: true },
    { to: paths.profiles(slug), text: nav.profiles },
    { to: paths.messages(slug), text: nav.messages },
    { to: paths.lists(slug), text: nav.lists },
    { to: paths.templates(slug), text: nav.templates },
    { to: paths.campaigns(slug), text: nav.campaigns },
    { to: paths.flows(slug), text: nav.flows },
    { to: paths.credits(slug), text: nav.credits },
    ...(isAdmin(session)
      ? [
          { to: paths.senders(slug), text: nav.senders },
          { to: paths.webhooks(slug), text: nav.webhooks },
          { to: paths.tokens(slug), text: nav.tokens },
          { to: paths.erasures(slug), text: nav.erasures },
          { to: paths.people(slug), text: nav.people },
          { to: paths.fields(slug), text: nav.fields },
          { to: paths.tags(slug), text: nav.tags },
          { to: paths.audit(slug), text: nav.audit },
          { to: paths.workspace(slug), text: nav.settings },
        ]
      : []),
  ]
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
