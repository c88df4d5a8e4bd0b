#!/usr/bin/env bash
# Puts the address of the repository where packages name it: the wheel's metadata, CITATION.cff and the recipes.
#
#   packaging/set_address.sh https://…        a clone has none: workflows and a release know theirs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
address=${1:?usage: packaging/set_address.sh https://…}
case $address in
https://*[\ \"\'\|\&]* | "https://") echo "$address is no address" >&2 && exit 2 ;;
https://*) ;;
*) echo "$address: an address begins with https://" >&2 && exit 2 ;;
esac
if grep -q '^\[project\.urls\]' pyproject.toml; then echo "pyproject.toml has an address already" >&2 && exit 1; fi
sed -i "s|^\[project\.scripts\]|[project.urls]\nHomepage = \"$address\"\nIssues = \"$address/issues\"\nChangelog = \"$address/blob/main/CHANGELOG.md\"\n\n&|" pyproject.toml
sed -i "s|^license: Apache-2.0|&\nrepository-code: $address|" CITATION.cff
sed -i "s|https://example\.org/tenon|$address|" packaging/conan/conanfile.py packaging/conda-forge/recipe.yaml packaging/vcpkg/tenon/vcpkg.json
echo "the address is $address"
