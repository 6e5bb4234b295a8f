import { NativeSelect, useMantineColorScheme } from '@mantine/core'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { PasswordForm, useAccount } from '../../ui/password-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useZone } from '../../ui/zone.tsx'
import { zonesFrom } from '../../ui/zoned-time.ts'
import { LANGUAGE_NAMES } from '../../words/language.ts'
import { useSpoken, useWords } from '../../words/words.tsx'
import { Sessions } from './sessions.tsx'

/** The user's own password, sessions, and how the pages look to them. */
export function Component() {
  const { me: words } = useWords()
  const { data, error, refetch } = useAccount()
  return (
    <Page title={words.title}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <Section title={words.password}>
            <p>{data.hasPassword ? (data.wantsCurrent ? words.othersEnd : words.byLink) : words.noPassword}</p>
            <PasswordForm wantsCurrent={data.wantsCurrent} verb={data.hasPassword ? words.change : words.choose} onDone={() => undefined} />
          </Section>
          <Sessions sessions={data.sessions} />
        </>
      )}
      <Looks />
    </Page>
  )
}

const SCHEMES = ['light', 'dark', 'auto'] as const
const ZONES = Intl.supportedValuesOf('timeZone')

/** What this browser keeps. */
function Looks() {
  const { words, language, choose } = useSpoken()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { zone, chooseZone } = useZone()
  return (
    <Section title={words.me.looks}>
      <NativeSelect
        label={words.app.language}
        value={language}
        data={[
          { value: 'en', label: LANGUAGE_NAMES.en },
          { value: 'he', label: LANGUAGE_NAMES.he },
        ]}
        onChange={(event) => choose(event.currentTarget.value === 'he' ? 'he' : 'en')}
      />
      <NativeSelect
        label={words.app.theme.label}
        value={colorScheme}
        data={SCHEMES.map((scheme) => ({ value: scheme, label: words.app.theme[scheme] }))}
        onChange={(event) => setColorScheme(SCHEMES.find((scheme) => scheme === event.currentTarget.value) ?? 'auto')}
      />
      <NativeSelect
        label={words.me.zone}
        description={words.me.zoneHelp}
        dir="ltr"
        value={zone}
        data={[...zonesFrom(zone, ZONES)]}
        onChange={(event) => chooseZone(event.currentTarget.value)}
      />
    </Section>
  )
}
