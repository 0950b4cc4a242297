{
  description = "Postern, a host for coding-agent sessions";

  # Newer releases have no Intel Macs any more.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;

      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem = f: lib.genAttrs systems (system: f system nixpkgs.legacyPackages.${system});

      manifest = lib.importJSON ./package.json;
      lock = lib.importJSON ./package-lock.json;

      sources =
        paths:
        lib.fileset.toSource {
          root = ./.;
          fileset = lib.fileset.unions (
            paths
            ++ [
              ./package.json
              ./package-lock.json
              ./tsconfig.json
              ./src
            ]
          );
        };

      # The lock file is bound to no registry: npm finds the archive, and Nix holds it to the lock file's integrity.
      archive =
        pkgs: path: entry:
        let
          name = lib.last (lib.splitString "node_modules/" path);
        in
        pkgs.runCommand "${lib.strings.sanitizeDerivationName name}-${entry.version}.tgz"
          {
            outputHash = entry.integrity;
            outputHashMode = "flat";
            nativeBuildInputs = [ pkgs.nodejs_24 ];
            impureEnvVars = lib.fetchers.proxyImpureEnvVars ++ [ "NPM_CONFIG_REGISTRY" ];
            NODE_EXTRA_CA_CERTS = "${pkgs.cacert}/etc/ssl/certs/ca-bundle.crt";
            npm_config_update_notifier = "false";
          }
          ''
            export HOME=$TMPDIR
            npm pack --silent --ignore-scripts "${name}@${entry.version}"
            mv ./*.tgz "$out"
          '';

      # Archives for other platforms stay in the lock file, where npm passes over them.
      isFor =
        { isDarwin, isAarch64, ... }:
        entry:
        let
          allows = names: name: names == [ ] || lib.elem name names;
        in
        allows (entry.os or [ ]) (if isDarwin then "darwin" else "linux")
        && allows (entry.cpu or [ ]) (if isAarch64 then "arm64" else "x64")
        && allows (entry.libc or [ ]) "glibc";

      dependencies =
        pkgs:
        pkgs.importNpmLock {
          npmRoot = ./.;
          packageSourceOverrides = lib.mapAttrs (archive pkgs) (
            lib.filterAttrs (path: entry: path != "" && isFor pkgs.stdenv.hostPlatform entry) lock.packages
          );
        };

      build =
        pkgs: attributes:
        pkgs.buildNpmPackage (
          {
            inherit (manifest) version;
            nodejs = pkgs.nodejs_24;
            npmDeps = dependencies pkgs;
            inherit (pkgs.importNpmLock) npmConfigHook;
            # The npm package `node` would fetch a Node.js of its own.
            npmFlags = [ "--ignore-scripts" ];
          }
          // attributes
        );

      postern =
        pkgs:
        build pkgs {
          pname = manifest.name;
          src = sources [ ];
          nativeBuildInputs = [ pkgs.makeBinaryWrapper ];
          # The bundles hold every dependency (all of them are devDependencies), so no node_modules folder goes with them.
          installPhase = ''
            runHook preInstall
            home=$out/lib/node_modules/postern
            mkdir -p "$home"
            cp -r dist package.json "$home"
            makeBinaryWrapper ${lib.getExe pkgs.nodejs_24} "$out/bin/postern" \
              --add-flags "$home/dist/main.js" \
              --suffix PATH : ${lib.makeBinPath (companions pkgs)}
            runHook postInstall
          '';
          meta = {
            inherit (manifest) description;
            license = lib.licenses.mit;
            mainProgram = "postern";
            platforms = systems;
          };
        };

      # Programs that postern looks for on the PATH and can do without.
      companions = pkgs: [ pkgs.ripgrep ] ++ lib.optional pkgs.stdenv.hostPlatform.isLinux pkgs.bubblewrap;
    in
    {
      packages = forEachSystem (_: pkgs: { default = postern pkgs; });

      apps = forEachSystem (
        system: _: {
          default = {
            type = "app";
            program = lib.getExe self.packages.${system}.default;
          };
        }
      );

      checks = forEachSystem (
        system: pkgs:
        let
          package = self.packages.${system}.default;
        in
        {
          inherit package;

          types = build pkgs {
            pname = "${manifest.name}-types";
            src = sources [ ./test ];
            npmBuildScript = "check";
            installPhase = "touch $out";
          };

          # The folders whose tests need neither a program from /usr/bin nor a sandbox within Nix's.
          tests = build pkgs {
            pname = "${manifest.name}-tests";
            # The test of the npm package looks for its license and README.
            src = sources [
              ./test
              ./LICENSE
              ./README.md
            ];
            doCheck = true;
            checkPhase = ''
              npx vitest run --config test/vitest.config.ts \
                test/{acp,app,cli,conformance,model,rpc,session,store,workspace}/
            '';
            installPhase = "touch $out";
          };

          session = pkgs.runCommand "${manifest.name}-session" { nativeBuildInputs = [ package ]; } ''
            export HOME=$TMPDIR/home
            mkdir -p "$HOME" project
            test "$(postern --version)" = "postern v${manifest.version}"
            test "$(postern client --cwd project "say hello")" = hello
            touch $out
          '';
        }
      );

      devShells = forEachSystem (
        _: pkgs: {
          default = pkgs.mkShell {
            packages = [
              pkgs.nodejs_24
              pkgs.git
            ]
            ++ companions pkgs;
            # As in the build: the Node.js of the npm package `node` does not run on NixOS.
            env.npm_config_ignore_scripts = "true";
          };
        }
      );

      formatter = forEachSystem (_: pkgs: pkgs.nixfmt-tree);
    };
}
