/** Builds the manifests with which Homebrew, Scoop and winget install the executables of a release. */
import { stringify } from 'yaml';

/** The values that the manifests contain. */
export interface ManifestInput {
  version: string;
  /** The URL of the folder with the artifacts. VERSION is replaced by the version. */
  downloads: string;
  homepage: string;
  publisher: string;
}

const summary = 'Command line for the back office of a restaurant or shop';
const license = 'MIT';

/** Returns the files by name. `hashes` are SHA-256 hashes of the artifacts by name. Throws if a hash is missing. */
export function packageManifests(
  input: ManifestInput,
  hashes: Readonly<Record<string, string>>,
): Record<string, string> {
  const { version, downloads } = input;
  const artifact = (suffix: string) => {
    const name = `boh-${version}-${suffix}`;
    const hash = hashes[name];
    if (hash === undefined) throw new Error(`No hash of the artifact ${name}.`);
    return { url: `${downloads.replaceAll('VERSION', version)}/${name}`, hash };
  };
  return {
    'boh.rb': formula(input, artifact),
    'boh.scoop.json': scoop(input, artifact('win-x64.zip')),
    ...winget(input, artifact('win-x64.zip')),
  };
}

interface Artifact {
  url: string;
  hash: string;
}

/** Returns the Homebrew formula; see https://docs.brew.sh/Formula-Cookbook. */
function formula({ version, homepage }: ManifestInput, artifact: (suffix: string) => Artifact): string {
  const block = (system: string, processor: string, suffix: string) => {
    const { url, hash } = artifact(suffix);
    return `  on_${system} do
    on_${processor} do
      url "${url}"
      sha256 "${hash}"
    end
  end
`;
  };
  return `class Boh < Formula
  desc "${summary}"
  homepage "${homepage}"
  version "${version}"
  license "${license}"

${block('macos', 'arm', 'darwin-arm64.tar.gz')}${block('macos', 'intel', 'darwin-x64.tar.gz')}${block('linux', 'arm', 'linux-arm64.tar.gz')}${block('linux', 'intel', 'linux-x64.tar.gz')}
  def install
    bin.install "boh"
    system bin/"boh", "man", "--to", man1
    generate_completions_from_executable(bin/"boh", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/boh --version")
  end
end
`;
}

/** Returns the Scoop manifest; see https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests. */
function scoop({ version, homepage }: ManifestInput, { url, hash }: Artifact): string {
  const manifest = {
    version,
    description: summary,
    homepage,
    license,
    architecture: { '64bit': { url, hash } },
    bin: 'boh.exe',
  };
  return `${JSON.stringify(manifest, undefined, 4)}\n`;
}

/** Returns the winget manifests by file name; see https://learn.microsoft.com/windows/package-manager/package/manifest. */
function winget(
  { version, homepage, publisher }: ManifestInput,
  { url, hash }: Artifact,
): Record<string, string> {
  const id = `${publisher}.boh`;
  const common = { PackageIdentifier: id, PackageVersion: version };
  const footer = { ManifestVersion: '1.6.0' };
  return {
    [`${id}.yaml`]: stringify({ ...common, DefaultLocale: 'en-US', ManifestType: 'version', ...footer }),
    [`${id}.installer.yaml`]: stringify({
      ...common,
      InstallerType: 'zip',
      NestedInstallerType: 'portable',
      NestedInstallerFiles: [{ RelativeFilePath: 'boh.exe', PortableCommandAlias: 'boh' }],
      Installers: [{ Architecture: 'x64', InstallerUrl: url, InstallerSha256: hash.toUpperCase() }],
      ManifestType: 'installer',
      ...footer,
    }),
    [`${id}.locale.en-US.yaml`]: stringify({
      ...common,
      PackageLocale: 'en-US',
      Publisher: publisher,
      PackageName: 'boh',
      PackageUrl: homepage,
      License: license,
      ShortDescription: summary,
      ManifestType: 'defaultLocale',
      ...footer,
    }),
  };
}
