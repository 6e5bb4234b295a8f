import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { SignedIn } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { paths } from '../paths.ts'
import { outside } from '../prefix.ts'
import { Confirm } from '../ui/confirm.tsx'
import { forgetUnsaved, isAnythingUnsaved } from '../ui/use-unsaved.ts'
import { LANGUAGE_NAMES } from '../words/language.ts'
import { useSpoken } from '../words/words.tsx'
import styles from './shell.module.css'

const SCHEMES = ['light', 'dark', 'auto'] as const

/** Who is signed in, the language, the theme, and the way out. */
export function AccountMenu({ session: { user, workspace }, onKeys }: Readonly<{ session: SignedIn; onKeys: () => void }>) {
  const { words, language, choose } = useSpoken()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const queries = useQueryClient()
  const leave = useMutation({
    mutationFn: () => client.write<null>('/auth/logout', {}),
    onSuccess: () => {
      forgetUnsaved()
      queries.clear()
      client.forget()
      location.assign(outside(paths.login()))
    },
  })
  const [isAsked, asking] = useDisclosure(false)
  const sign = (isChosen: boolean) => <span aria-hidden="true">{isChosen ? '✓' : ' '}</span>
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false} width={240} shadow="md">
        <Menu.Target>
          <UnstyledButton className={styles.account} aria-label={`${words.app.account}: ${user.email}`}>
            <bdi>{user.email}</bdi> <span aria-hidden="true">▾</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <bdi>{user.email}</bdi> · <bdi lang="en">{user.role}</bdi>
          </Menu.Label>
          <Menu.Item component={Link} to={workspace === null ? paths.systemMe() : paths.me(workspace.slug)}>
            {words.me.title}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{words.app.language}</Menu.Label>
          {(
            [
              ['en', LANGUAGE_NAMES.en],
              ['he', LANGUAGE_NAMES.he],
            ] as const
          ).map(([code, name]) => (
            <Menu.Item key={code} lang={code} leftSection={sign(code === language)} onClick={() => choose(code)}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Label>{words.app.theme.label}</Menu.Label>
          {SCHEMES.map((scheme) => (
            <Menu.Item key={scheme} leftSection={sign(scheme === colorScheme)} onClick={() => setColorScheme(scheme)}>
              {words.app.theme[scheme]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={onKeys} aria-keyshortcuts="?">
            {words.keys.title}
          </Menu.Item>
          <Menu.Item onClick={() => (isAnythingUnsaved() ? asking.open() : leave.mutate())}>{words.app.signOut}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={isAsked}
        title={words.ui.leaveTitle}
        verb={words.app.signOut}
        pending={leave.isPending}
        error={leave.error}
        onConfirm={() => leave.mutate()}
        onClose={asking.close}
      >
        {words.ui.notSaved}
      </Confirm>
    </>
  )
}
