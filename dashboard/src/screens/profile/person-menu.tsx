import { Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Profile } from '../../api/calls.ts'
import { isAdmin, sessionQuery, useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useLead } from '../../ui/use-lead.ts'
import { useWords } from '../../words/words.tsx'
import { exportAddress } from './person.api.ts'
import { useErase } from './profile.api.ts'

/** What the law gives a person: a copy of everything, and to be forgotten. For admins. */
export function PersonMenu({ profile }: Readonly<{ profile: Profile }>) {
  const { profile: words } = useWords()
  const { data: session } = useQuery(sessionQuery)
  const [isAsked, asking] = useDisclosure(false)
  if (!isAdmin(session)) return null
  return (
    <>
      <Menu position="bottom-end" withinPortal shadow="md">
        <Menu.Target>
          <Button variant="default" aria-label={words.more}>
            <span aria-hidden="true">⋯</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={exportAddress(profile.id, 'html')}>
            {words.exportHtml}
          </Menu.Item>
          <Menu.Item component="a" href={exportAddress(profile.id, 'json')}>
            {words.exportJson}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="bad" onClick={asking.open}>
            {words.erase}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Erase opened={isAsked} profile={profile} onClose={asking.close} />
    </>
  )
}

function Erase({ opened, profile, onClose }: Readonly<{ opened: boolean; profile: Profile; onClose: () => void }>) {
  const { profile: words } = useWords()
  const slug = useSlug()
  const lead = useLead()
  const erasing = useErase(profile.id, () => lead(paths.erasure(slug, profile.id)))
  const word = profile.email ?? profile.phone ?? profile.id
  return (
    <Confirm
      opened={opened}
      title={words.eraseTitle}
      verb={words.erase}
      word={word}
      pending={erasing.isPending}
      error={erasing.error}
      onConfirm={() => erasing.mutate({ confirm: word })}
      onClose={onClose}
    >
      {words.eraseGoes} {words.eraseStays} {words.eraseOthers}
    </Confirm>
  )
}
