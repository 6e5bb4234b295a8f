import { Burger, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, Suspense } from 'react'
import { Link, Outlet, useNavigation } from 'react-router'
import type { SignedIn } from '../api/calls.ts'
import { Loading } from '../ui/loading.tsx'
import { useWords } from '../words/words.tsx'
import { AccountMenu } from './account-menu.tsx'
import { KeyList } from './key-list.tsx'
import { KeyListener } from './key-listener.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { Navigation, type NavigationEntry } from './navigation.tsx'
import styles from './shell.module.css'

type Props = Readonly<{
  session: SignedIn
  /** What the pages are of, and where their first one is. */
  name: string
  home: string
  entries: readonly NavigationEntry[]
  onFind?: () => void
  find?: ReactNode
}>

/** Head, navigation and the screen, which is busy while the next one is loaded. */
export function Frame({ session, name, home, entries, onFind = () => undefined, find }: Props) {
  const { app } = useWords()
  const [isOpen, drawer] = useDisclosure(false)
  const [isListing, listing] = useDisclosure(false)
  const { state } = useNavigation()
  return (
    <div className={styles.shell}>
      <LeaveGuard />
      <KeyListener onFind={onFind} onList={listing.open} />
      <a href="#content" className={styles.skip}>
        {app.skip}
      </a>
      <header className={styles.head}>
        <Burger opened={isOpen} onClick={drawer.toggle} size="sm" className={styles.burger} aria-label={app.menu} />
        <Link to={home} className={styles.brand}>
          Tidings <bdi className={styles.workspace}>{name}</bdi>
        </Link>
        {find}
        <AccountMenu session={session} onKeys={listing.open} />
      </header>
      <div className={styles.side}>
        <Navigation entries={entries} />
      </div>
      <Drawer opened={isOpen} onClose={drawer.close} title={app.menu} size="xs" closeButtonProps={{ 'aria-label': app.close }}>
        <Navigation entries={entries} onMove={drawer.close} />
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
