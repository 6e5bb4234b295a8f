import { Burger, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link, Outlet, useNavigation } from 'react-router'
import { paths } from '../paths.ts'
import { Loading } from '../ui/loading.tsx'
import { Problem } from '../ui/problem.tsx'
import { useWords } from '../words/words.tsx'
import { AccountMenu } from './account-menu.tsx'
import { NotFound } from './error-pages.tsx'
import { Find } from './find.tsx'
import { KeyList } from './key-list.tsx'
import { KeyListener } from './key-listener.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { Navigation } from './navigation.tsx'
import { sessionQuery, useSlug } from './session.ts'
import styles from './shell.module.css'

/** Head, navigation and the screen, which is busy while the next one is loaded. An address of another workspace is one that does not exist. */
export function Shell() {
  const { app } = useWords()
  const slug = useSlug()
  const [isOpen, drawer] = useDisclosure(false)
  const [isFinding, finding] = useDisclosure(false)
  const [isListing, listing] = useDisclosure(false)
  const { state } = useNavigation()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (session === undefined && error) return <Problem error={error} onRetry={() => void refetch()} />
  if (session === undefined) return <Loading />
  if (session.workspace?.slug !== slug) return <NotFound />
  return (
    <div className={styles.shell}>
      <LeaveGuard />
      <KeyListener onFind={finding.open} onList={listing.open} />
      <a href="#content" className={styles.skip}>
        {app.skip}
      </a>
      <header className={styles.head}>
        <Burger opened={isOpen} onClick={drawer.toggle} size="sm" className={styles.burger} aria-label={app.menu} />
        <Link to={paths.overview(slug)} className={styles.brand}>
          Tidings <bdi className={styles.workspace}>{slug}</bdi>
        </Link>
        <Find opened={isFinding} onOpen={finding.open} onClose={finding.close} />
        <AccountMenu session={session} onKeys={listing.open} />
      </header>
      <div className={styles.side}>
        <Navigation session={session} />
      </div>
      <Drawer opened={isOpen} onClose={drawer.close} title={app.menu} size="xs" closeButtonProps={{ 'aria-label': app.close }}>
        <Navigation session={session} onMove={drawer.close} />
      </Drawer>
      <KeyList opened={isListing} onClose={listing.close} />
      <main id="content" tabIndex={-1} className={styles.main} aria-busy={state !== 'idle'}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}
