import { Link } from 'react-router'
import type { CataloguedEvent } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { useWords } from '../../words/words.tsx'
import styles from './events.module.css'

type Listener = CataloguedEvent['flows'][number]
type LinksProps = Readonly<{ title: string; of: readonly Listener[]; to: (slug: string, id: string) => string }>

/** Names, each of which leads to its thing. */
export function Links({ title, of, to }: LinksProps) {
  const slug = useSlug()
  if (of.length === 0) return null
  return (
    <div className={styles.names}>
      {title}{' '}
      {of.map(({ id, name }) => (
        <Link key={id} to={to(slug, id)} className={styles.name}>
          <bdi>{name ?? id}</bdi>
        </Link>
      ))}
    </div>
  )
}

/** Who listens to an event. */
export function Listeners({ event: { webhooks, flows, lists } }: Readonly<{ event: CataloguedEvent }>) {
  const { ui, events: words } = useWords()
  if (webhooks.length + flows.length + lists.length === 0) return ui.none
  return (
    <>
      <Links title={words.toWebhooks} of={webhooks} to={paths.webhook} />
      <Links title={words.toFlows} of={flows} to={paths.flow} />
      <Links title={words.toLists} of={lists} to={paths.list} />
    </>
  )
}
