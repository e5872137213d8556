# nix run 'github:stacklint/stacklint?dir=packaging/community/nix'
#
# Builds the program from the revision that is named. Name and version are those of Cargo.toml, dependencies those of Cargo.lock, so
# that nothing here changes with a release. `nix flake lock` pins nixpkgs; it has to have the Rust that Cargo.toml asks for.
{
  description = "Reviews changes of stack configuration: what will be different, because of which line";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      root = ../../..;
      manifest = builtins.fromTOML (builtins.readFile (root + "/Cargo.toml"));
      cargo = manifest.package // manifest.workspace.package;
    in
    {
      packages = each (pkgs: rec {
        stacklint = pkgs.rustPlatform.buildRustPackage {
          pname = cargo.name;
          inherit (cargo) version;
          src = root;
          cargoLock.lockFile = root + "/Cargo.lock";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests need a git repository around them and much time; `.ci/run` runs them.
          doCheck = false;
          postInstall = pkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            installShellCompletion --cmd stacklint \
              --bash <($out/bin/stacklint completions bash) \
              --zsh <($out/bin/stacklint completions zsh) \
              --fish <($out/bin/stacklint completions fish)
            $out/bin/stacklint man > stacklint.1
            installManPage stacklint.1
          '';
          meta = {
            inherit (cargo) description;
            homepage = cargo.repository;
            license = pkgs.lib.licenses.asl20;
            mainProgram = "stacklint";
          };
        };
        default = stacklint;
      });

      checks = each (pkgs: {
        demo = pkgs.runCommand "stacklint-demo" { } ''
          ${self.packages.${pkgs.stdenv.hostPlatform.system}.default}/bin/stacklint demo > $out
        '';
      });
    };
}
