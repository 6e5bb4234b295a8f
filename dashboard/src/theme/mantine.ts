import {
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  Modal,
  Radio,
} from '@mantine/core'

const same = (c: string): MantineColorsTuple => [c, c, c, c, c, c, c, c, c, c]

/** Every shade of a colour is one token, which has the contrast that it needs in both themes. */
export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent: same('var(--accent)'), bad: same('var(--bad)') },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Hebrew", Arial, sans-serif',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '6px', xl: '6px' },
  defaultRadius: 'md',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '20px', lineHeight: '28px' }, h2: { fontSize: '16px', lineHeight: '24px' } } },
  // In the dark theme filled parts are light, and the text on them is dark.
  variantColorResolver: (input) => {
    const drawn = defaultVariantColorsResolver(input)
    return input.variant === 'filled' ? { ...drawn, color: 'var(--on-accent)' } : drawn
  },
  components: {
    Checkbox: Checkbox.extend({ defaultProps: { iconColor: 'var(--on-accent)' } }),
    Radio: Radio.extend({ defaultProps: { iconColor: 'var(--on-accent)' } }),
    // Their heads are `header` elements, and the page has its banner already.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
    DrawerHeader: Drawer.Header.extend({ defaultProps: { role: 'presentation' } }),
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
})

const variables = {
  '--mantine-color-body': 'var(--page)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-placeholder': 'var(--muted)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--page)',
  '--mantine-color-default-hover': 'var(--panel)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--edge)',
  '--mantine-color-disabled': 'var(--panel)',
  '--mantine-color-disabled-color': 'var(--muted)',
  '--mantine-color-disabled-border': 'var(--line)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-color-accent-filled': 'var(--accent)',
  '--mantine-color-accent-filled-hover': 'var(--accent)',
  '--mantine-color-accent-light': 'var(--accent-soft)',
  '--mantine-color-accent-light-color': 'var(--accent)',
  '--mantine-color-accent-outline': 'var(--accent)',
  '--mantine-color-bad-filled': 'var(--bad)',
  '--mantine-color-bad-filled-hover': 'var(--bad)',
}

/** Mantine draws with our tokens. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...variables, '--mantine-color-gray-4': 'var(--edge)' },
  dark: {
    ...variables,
    '--mantine-color-dark-4': 'var(--edge)',
    '--mantine-color-dark-6': 'var(--page)',
    '--mantine-color-dark-7': 'var(--page)',
  },
})
